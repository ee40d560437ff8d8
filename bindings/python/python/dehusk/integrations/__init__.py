"""dehusk in engines that clean corpora: a module for each, which needs the engine when it is imported, and not before.

``dehusk.integrations.datasets``, ``.datatrove``, ``.dolma``, ``.nemo`` and ``.ray``. Spark has `dehusk.spark`.
"""
