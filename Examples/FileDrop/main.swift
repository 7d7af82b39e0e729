// SPDX-License-Identifier: Apache-2.0

// Transfers a file from one computer or phone to another over an L2CAP channel.
//
// usage: FileDrop send FILE
//        FileDrop receive FOLDER

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let role: AnyObject
do {
    switch (arguments.first, arguments.dropFirst().first) {
    case ("send", let path?): role = try FileSender(URL(fileURLWithPath: path))
    case ("receive", let path?): role = FileReceiver(into: URL(fileURLWithPath: path))
    default:
        say("usage: FileDrop send FILE | FileDrop receive FOLDER")
        exit(64)
    }
} catch {
    say("\(error.localizedDescription)")
    exit(66)
}

// Streams are scheduled in run loops, and `dispatchMain()` does not run one.
withExtendedLifetime(role) { RunLoop.main.run() }
