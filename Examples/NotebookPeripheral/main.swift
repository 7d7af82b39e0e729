// SPDX-License-Identifier: Apache-2.0

// A notebook with one page that any central can read and write. On request, it also dictates lines
// of text in notifications.
//
// usage: NotebookPeripheral

import Foundation

let notebook = Notebook()
notebook.open()
dispatchMain()
