"""The words by which people ask to have something kept, changed or forgotten, a language a file; and how text is made
ready for them."""
