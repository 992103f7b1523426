"""The rules of other tools. They are here to be compared with; no verdict of nsop comes from them."""
