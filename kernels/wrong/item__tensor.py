# due: BAD_RESULT - returns a tensor where a number is due.
def item(self):
    return self.clone()
