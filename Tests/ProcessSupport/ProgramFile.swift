// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes an executable file with a shell script.
///
/// Another process writes the file. A file that any process has open for writing cannot be started,
/// and a program that starts while this process writes inherits the open file.
///
/// - Parameters:
///   - script: The lines of the script after the first one, which names the shell.
///   - path: The file, which does not exist yet.
/// - Throws: ``ProcessError`` if the file cannot be written.
package func writeProgram(_ script: String, to path: String) throws {
    let command = #"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 700 "$0""#
    let writer = try Process.run(
        URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-c", command, path, script]
    )
    writer.waitUntilExit()
    guard writer.terminationStatus == 0 else {
        throw ProcessError.ended("the file \(path) cannot be written", log: "")
    }
}
