"""The widgets: panes of lines, dialogs, form fields, the footer and the radar chart.

``panes`` is the one to read first: lists and transcripts draw only the lines in sight.
"""
