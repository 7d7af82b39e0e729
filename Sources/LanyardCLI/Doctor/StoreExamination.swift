// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// Looks whether a host could keep its bonds where it would.
struct StoreExamination {
    let choice: StoreChoice
    var reader = SystemReader()

    /// Opens the directory if it is there, as a host does, and lets go of it; makes none.
    func result() -> Surroundings.Store {
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

    /// Whether the nearest directory that is there lets others be made in it.
    private func canBeMade(_ path: String) -> Bool {
        var parent = URL(fileURLWithPath: path).deletingLastPathComponent()
        while parent.path != "/", !FileManager.default.fileExists(atPath: parent.path) {
            parent.deleteLastPathComponent()
        }
        return FileManager.default.isWritableFile(atPath: parent.path)
    }
}
