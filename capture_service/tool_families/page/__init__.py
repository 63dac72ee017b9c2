"""Family `gtc_page`: pages that a tool fetched, and texts that a model made of several pages."""
