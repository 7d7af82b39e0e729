// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import Foundation
import HCITransports

/// The findings about the directory of the bonds.
enum StoreDiagnosis {
    private static let subject = "store"

    static func findings(_ store: SystemState.Store) -> [SetUpFinding] {
        switch store {
        case .none: []
        case .usable(let path): [SetUpFinding(.good, subject, "\(shown(path)) can be used")]
        case .absent(let path, let canBeMade): [absent(shown(path), canBeMade)]
        case .held(let path, let process): [held(shown(path), process)]
        case .unusable(let path, let failure):
            [
                SetUpFinding(
                    .obstacle,
                    subject,
                    failure.happened,
                    why: "the keys are in \(shown(path)), which only its owner should read",
                    remedy: failure.advice
                )
            ]
        }
    }

    private static func absent(_ path: String, _ canBeMade: Bool) -> SetUpFinding {
        guard !canBeMade else {
            let why = "the first program that uses it creates it"
            return SetUpFinding(.good, subject, "\(path) does not exist yet", why: why)
        }
        return SetUpFinding(
            .obstacle,
            subject,
            "\(path) does not exist and cannot be created",
            why: "programs lose their bonds when they end, and commands that need an adapter fail",
            remedy: "set XDG_STATE_HOME or HOME to a directory that you may write to, "
                + "or give --store"
        )
    }

    private static func held(
        _ path: String,
        _ process: SystemProcess?
    ) -> SetUpFinding {
        let holder =
            process.map { "\(TerminalText.escape($0.name)) (process \($0.number))" }
            ?? "another process"
        return SetUpFinding(
            .warning,
            subject,
            "\(path) is in use by \(holder)",
            why:
                "two hosts with the same keys would have one identity: the second runs without bonds, or fails",
            remedy: process.map { "end process \($0.number), or give --store another directory" }
                ?? "end it, or give --store another directory"
        )
    }

    private static func shown(_ path: String) -> String { TerminalText.escape(path) }
}

extension StoreDiagnosis {
    /// Returns whether a host can keep its bonds in a directory. Opens an existing directory as a
    /// host does, and closes it. Does not create a directory.
    static func examine(_ choice: StoreChoice, _ reader: SystemReader) -> SystemState.Store {
        guard let path = choice.path else { return .none }
        guard FileManager.default.fileExists(atPath: path) else {
            return .absent(path, canBeMade: canBeMade(path))
        }
        do throws(TransportError) {
            try FileStore(directory: path).close()
            return .usable(path)
        } catch {
            if case .addressInUse = error {
                return .held(path, by: reader.holder(ofLock: path + "/.lock"))
            }
            let failure = ProgramFailure(
                .inputOutput,
                "it cannot be used: \(TerminalText.escape("\(error)"))",
                advice: "give --store a directory that you may write to, or --no-store"
            )
            return .unusable(path, failure)
        }
    }

    /// Returns whether a directory can be made in the nearest existing directory.
    private static func canBeMade(_ path: String) -> Bool {
        var parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        while parent.path != "/", !FileManager.default.fileExists(atPath: parent.path) {
            parent.deleteLastPathComponent()
        }
        return FileManager.default.isWritableFile(atPath: parent.path)
    }
}
