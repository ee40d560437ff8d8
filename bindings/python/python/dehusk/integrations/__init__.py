"""dehusk in engines that clean corpora: a module for each engine. Only the import of such a module needs its engine.

``dehusk.integrations.datasets``, ``.datatrove``, ``.dolma``, ``.nemo`` and ``.ray``. Spark has `dehusk.spark`.
"""
