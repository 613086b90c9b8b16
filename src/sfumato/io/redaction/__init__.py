"""Documents that are written again without some of their text: plain text, HTML, mails, Word, PDF."""
