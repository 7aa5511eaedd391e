"""Divide a text into pages: pause by pause or in one pass, and further as the text grows."""
