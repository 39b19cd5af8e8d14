"""Loading and calling compiled partitions; the only importer of iree.runtime."""
