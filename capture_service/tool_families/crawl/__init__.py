"""Family `crawl_job`: crawls, batch scrapes, maps and research agents."""
