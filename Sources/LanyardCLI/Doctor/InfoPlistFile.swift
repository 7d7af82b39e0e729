// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import Foundation
import HCITransports

/// The findings about the files with an app's Info.plist and entitlements.
enum InfoPlistFile {
    /// The number of bytes that are read of a file: one more than the maximum length of a file.
    private static let lengthLimit = (1 << 20) + 1

    static func findings(
        _ check: InfoPlistCheck,
        infoPlist: String,
        entitlements: String?
    ) throws(ProgramFailure) -> [SetUpFinding] {
        let file = try read(infoPlist)
        let advice = "give the Info.plist of the built app"
        guard let entitlements else {
            return try findings(check, file, nil, infoPlist, advice: advice)
        }
        let other = try read(entitlements)
        // The Info.plist is first checked alone, so that an error names the file that is wrong.
        _ = try findings(check, file, nil, infoPlist, advice: advice)
        return try findings(
            check,
            file,
            other,
            entitlements,
            advice: "give the file with the app's entitlements"
        )
    }

    private static func findings(
        _ check: InfoPlistCheck,
        _ infoPlist: Data,
        _ entitlements: Data?,
        _ path: String,
        advice: String
    ) throws(ProgramFailure) -> [SetUpFinding] {
        do throws(PropertyListError) {
            return try check.findings(in: infoPlist, entitlements: entitlements)
        } catch {
            throw ProgramFailure(
                .badData,
                "\(TerminalText.escape(path)) is not a property list: \(error)",
                advice: advice
            )
        }
    }

    private static func read(_ path: String) throws(ProgramFailure) -> Data {
        let failure = ProgramFailure(
            .inputOutput,
            "\(TerminalText.escape(path)) cannot be read",
            advice: "check the path"
        )
        let data = WaitingCall.perform { () -> Data? in
            guard let file = FileHandle(forReadingAtPath: path) else { return nil }
            defer { try? file.close() }
            return try? file.read(upToCount: lengthLimit) ?? Data()
        }
        guard let data else {
            let wanted = "a property list"
            throw .directory(path, instead: wanted, suffix: ".plist") ?? failure
        }
        return data
    }
}
