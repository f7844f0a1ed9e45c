"""The Textual app: panes and screens over a run that is driven here, followed, or long over.

The only package that imports textual. It sees the run's state, the store's readers and leaf modules;
everything else (driving, files, forecasts) reaches it through `ports`.
"""
