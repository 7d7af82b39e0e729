// SPDX-License-Identifier: Apache-2.0

// A notebook with one page that any central may read, write and have read aloud.
//
// usage: NotebookPeripheral

import Foundation

let notebook = Notebook()
notebook.open()
dispatchMain()
