// Smooths what works without it
