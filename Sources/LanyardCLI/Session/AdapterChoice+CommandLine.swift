// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters
import VirtualRadio

extension AdapterChoice {
    /// Parses the text of the option.
    init(commandLine text: String) throws(ProgramFailure) {
        do throws(AdapterChoiceError) {
            try self.init(text)
        } catch {
            throw ProgramFailure(error)
        }
    }

    /// Whether an adapter of the choice is taken from the kernel and returned to it.
    var isOfSystem: Bool {
        switch self {
        case .reached(.hci), .reached(.hciAddress): true
        case .radios(let list): list.contains { AdapterChoice.reached($0).isOfSystem }
        case .reached, .virtual, .daemon: false
        }
    }

    /// The names of the adapters, in their order.
    var radioNames: [String] {
        guard case .radios(let list) = self else { return [description] }
        return list.map(\.description)
    }

    /// The longest time for which the kernel may still be setting up the adapter.
    var setUpLimit: Duration { isOfSystem ? UserChannelTransport.setUpLimit : .zero }

    /// Creates the transports to the controllers, and the world around a virtual adapter.
    func open() throws(ProgramFailure) -> AdapterAccess {
        do throws(AdapterChoiceError) {
            return try makeAccess()
        } catch {
            throw ProgramFailure(error)
        }
    }
}

extension ProgramFailure {
    /// Creates the failure for an adapter that cannot be chosen.
    init(_ error: AdapterChoiceError) {
        switch error {
        case .noAdapter(let error):
            self = .usage(
                "'\(TerminalText.escape(error.text))' is not a valid adapter: \(error.problemText)",
                advice: ProgramFailure.didYouMean(
                    error.text,
                    among: ["virtual"],
                    otherwise: "use \(AdapterChoice.forms)"
                )
            )
        case .tooManyAdapters:
            self = .usage("\(error)", advice: "leave some adapters out")
        case .repeatedAdapter:
            self = .usage(TerminalText.escape("\(error)"), advice: "name each adapter once")
        case .loneAdapter:
            self = .usage(
                TerminalText.escape("\(error)"),
                advice: "name it alone, or only adapters of the other kinds (docs/ROAMING.md)"
            )
        case .daemonWithoutController:
            self = .usage(
                "this command needs a controller, to which the Bluetooth daemon gives no access",
                advice:
                    "choose another --adapter; docs/BLUEZ.md lists the commands for 'bluez'"
            )
        case .unreadable(let path, let reason):
            self = .unreadable("scenario", path, because: reason)
        case .invalidText(let path): self = JSONFile.scenario.invalidText(path)
        case .invalidScenario(let path, let error): self = JSONFile.scenario.wrong(path, error)
        case .worldFull(let error): self.init(error)
        }
    }

    /// Creates the failure for a world that is full.
    init(_ error: WorldFullError) {
        self.init(.badData, "\(error)", advice: "leave some devices out")
    }
}
