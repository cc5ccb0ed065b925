"""What every game must hold, run on every game there is, and the golden histories."""
