"""A pass that nobody registers."""

import myjit


class Undecorated(myjit.Pass):
    """Do nothing, without a decorator."""

    def run(self, module):
        pass
