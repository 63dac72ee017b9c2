"""A real stdio MCP server with a fetch tool and a scrape tool; runs in Hermes' environment."""

import json

from mcp.server.fastmcp import FastMCP

server = FastMCP("pages")


@server.tool()
def fetch(url: str) -> str:
    """Return a page as the reference fetch server does."""
    return f"Contents of {url}:\n# Harbour\n\nThe harbour master sleeps at noon.\n"


@server.tool()
def firecrawl_scrape(url: str) -> str:
    """Return a page as Firecrawl's server does."""
    metadata = {"sourceURL": url, "url": url, "statusCode": 200, "title": "Quay"}
    return json.dumps({"markdown": "# Quay\n\nThe quay has seven rings.\n", "metadata": metadata})


if __name__ == "__main__":
    server.run()
