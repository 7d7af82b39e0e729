// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters
import VirtualRadio

// The adapter that a person chooses on the command line, and what they are told if there is none.
extension AdapterChoice {
    /// Reads what a person said.
    init(said text: String) throws(ProgramFailure) {
        do throws(AdapterChoiceError) {
            try self.init(text)
        } catch {
            throw ProgramFailure(error)
        }
    }

    /// Whether it is taken from the kernel, which gets it back.
    var isOfSystem: Bool {
        switch self {
        case .reached(.hci), .reached(.hciAddress): true
        case .reached, .virtual: false
        }
    }

    /// How long it may take until it can be opened at all.
    var setUpLimit: Duration { isOfSystem ? UserChannelTransport.setUpLimit : .zero }

    /// Makes the way to the controller, and the world around it if it is a virtual one.
    func open() throws(ProgramFailure) -> AdapterAccess {
        do throws(AdapterChoiceError) {
            return try makeAccess()
        } catch {
            throw ProgramFailure(error)
        }
    }
}

extension ProgramFailure {
    /// Why there is no adapter as it was chosen.
    init(_ error: AdapterChoiceError) {
        switch error {
        case .noAdapter(let error):
            self = .usage(
                "'\(TerminalText.escape(error.text))' is no adapter: \(error.complaint)",
                advice: "use \(AdapterChoice.forms)"
            )
        case .unreadable(let path): self = WrittenFile.scenario.unreadable(path)
        case .noText(let path): self = WrittenFile.scenario.noText(path)
        case .noScenario(let path, let error): self = WrittenFile.scenario.wrong(path, error)
        case .worldFull(let error): self.init(error)
        }
    }

    /// A world has no room for all.
    init(_ error: WorldFullError) {
        self.init(.badData, "\(error)", advice: "leave some devices out")
    }
}
