"""Family `http`: bodies that curl, wget, HTTPie and HTTP tools brought."""
