"""Runs on a cluster: workers on other machines that play scripted matches and call models.

Begin with ``ray_cluster``, the workers as the runner sees them. ``worker`` is what runs on the
other machine, ``joining`` how a cluster is found and left, ``identity`` whether a machine has the
same code.
"""
