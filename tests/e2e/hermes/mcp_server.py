"""A real stdio MCP server with one tool that returns a page larger than any cut; runs in Hermes' environment."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("bigpages")


@server.tool()
def fetch_page(url: str) -> str:
    """Return a page of about 1.3 million characters."""
    return f"# {url}\n\n" + "".join(
        f"Line {number} of the long page.\n" for number in range(45_000)
    )


if __name__ == "__main__":
    server.run()
