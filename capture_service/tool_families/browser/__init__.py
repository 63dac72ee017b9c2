"""Family `browser_page`: snapshots of pages in a browser that the agent steers."""
