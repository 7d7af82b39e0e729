// SPDX-License-Identifier: Apache-2.0

import Foundation

// An application on CoreBluetooth for the tests with the system's Bluetooth daemon. It is linked
// statically, for machines without Swift. Each line of its standard input is a command of
// `CentralProgram`, and it prints a line for each event. It ends with its standard input.

/// Prints a line without buffering, so that the test receives it at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let program = CentralProgram()
Thread.detachNewThread {
    while let line = readLine() {
        DispatchQueue.main.async { program.perform(line) }
    }
    DispatchQueue.main.async { program.end() }
}
// Not dispatchMain(), because the streams of channels need a run loop.
RunLoop.main.run()
