"""Books and trades for those who subscribe to them: what of each market everyone may see, kept in step with
the journal, and sent to each as fast as it reads."""
