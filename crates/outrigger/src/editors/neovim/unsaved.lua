return unsaved()
