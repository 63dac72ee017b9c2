"""Family `gtc_discovery`: searches and answers, with the addresses that they name."""
