// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

/// The directory in which the bonds are.
enum StoreDiagnosis {
    private static let subject = "store"

    static func findings(_ store: Surroundings.Store) -> [SetUpFinding] {
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
                    why: "keys are kept in \(shown(path)), and must be for nobody else's eyes",
                    remedy: failure.advice
                )
            ]
        }
    }

    private static func absent(_ path: String, _ canBeMade: Bool) -> SetUpFinding {
        guard !canBeMade else {
            let why = "it is made when something is paired for the first time"
            return SetUpFinding(.good, subject, "\(path) is not there yet", why: why)
        }
        return SetUpFinding(
            .obstacle,
            subject,
            "\(path) is not there, and cannot be made",
            why: "bonds would be forgotten at the end of each program",
            remedy: "let XDG_STATE_HOME or HOME name a directory that you may write to, "
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
            why: "two hosts with the same keys would pass for one: the second goes on without",
            remedy: process.map { "end process \($0.number), or give --store another directory" }
                ?? "end it, or give --store another directory"
        )
    }

    private static func shown(_ path: String) -> String { TerminalText.escape(path) }
}
