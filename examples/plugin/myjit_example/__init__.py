"""An example of what a package can add to myjit."""
