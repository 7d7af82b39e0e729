// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Why a controller cannot be used.
package enum StartupError: Error, Equatable, Sendable {
    /// A command that nothing works without did not succeed.
    case commandFailed(HCI.Opcode, CommandFailure)
    /// It has no room for a single ACL packet, or does not say how much it has.
    case noBuffers
}

/// Takes a controller from any state to a known one and finds out what it can do.
///
/// It is a list of steps, each one command. Take the command with `next()`, send it, and give its
/// result to `finished(_:)`, until that says `.ready` or `.failed`. What the controller does not
/// list among its commands is not sent. What it lists and then refuses (some do) is done without,
/// except where nothing works without it: Reset, the version, the list of commands, and the size
/// of the buffers.
package struct ControllerStartup: Sendable {
    package enum Progress: Sendable, Equatable {
        /// There is another command to send.
        case `continue`
        case ready(ControllerCapabilities)
        case failed(StartupError)
    }

    private var step: StartupStep? = .reset
    private var capabilities: ControllerCapabilities
    private let randomAddress: DeviceAddress?

    /// - Parameter randomAddress: The random static address that the controller is to use; nil
    ///   where its public one will do.
    package init(randomAddress: DeviceAddress?) {
        self.randomAddress = randomAddress
        capabilities = ControllerCapabilities(
            version: .init(
                hciVersion: .core4_0,
                hciSubversion: 0,
                linkLayerVersion: .core4_0,
                company: 0,
                linkLayerSubversion: 0
            ),
            commands: HCI.SupportedCommands()
        )
    }

    /// The command to send now; nil when start-up has ended.
    package func next() -> HCI.EncodedCommand? {
        step.flatMap { $0.command(for: capabilities, randomAddress: randomAddress) }
    }

    /// The command of the last `next()` has ended.
    package mutating func finished(_ result: CommandResult) -> Progress {
        guard let step else { return .ready(capabilities) }
        do {
            try Self.note(result, of: step, randomAddress: randomAddress, in: &capabilities)
        } catch {
            // A queue that discards sends nothing any more: going on would be pointless.
            guard !step.isRequired, error != .discarded else {
                self.step = nil
                return .failed(.commandFailed(step.opcode, error))
            }
        }
        advance(after: step)
        guard self.step == nil else { return .continue }
        guard capabilities.aclPacketLength > 0, capabilities.aclPacketCount > 0 else {
            return .failed(.noBuffers)
        }
        return .ready(capabilities)
    }

    /// Goes to the next step whose command the controller lists.
    private mutating func advance(after step: StartupStep) {
        self.step = StartupStep.allCases.drop { $0 != step }.dropFirst().first { next in
            next.isNeeded(for: capabilities, randomAddress: randomAddress)
        }
    }
}
