// SPDX-License-Identifier: Apache-2.0

import Foundation

// An app on CoreBluetooth and Lanyard for the tests with the system's Bluetooth daemon. The app is
// linked statically, for machines without Swift. Each line of its standard input is a command of
// `CentralProgram` or, after the word `kiosk`, of `KioskProgram`. The app prints events as lines,
// and ends when its standard input ends.

/// Prints a line without buffering, so that the test receives it at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let program = CentralProgram()
let kiosk = KioskProgram()

func perform(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    if words.first == "kiosk" {
        Task { @MainActor in await kiosk.perform(Array(words.dropFirst())) }
    } else {
        program.perform(line)
    }
}

Thread.detachNewThread {
    while let line = readLine() {
        DispatchQueue.main.async { perform(line) }
    }
    DispatchQueue.main.async { program.end() }
}
// Not dispatchMain(), because the streams of channels need a run loop.
RunLoop.main.run()
