"""What nodes say to each other is carried between them (docs/nodes.md)."""
