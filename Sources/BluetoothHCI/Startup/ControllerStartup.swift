// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The reason why a controller cannot be used.
package enum StartupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A required command did not succeed, or a command was discarded.
    case commandFailed(HCI.Opcode, CommandFailure)
    /// The controller has no buffer for an ACL packet, or does not report its buffers.
    case noBuffers

    /// The reason as a clause about the controller, which is the "it" of the sentence.
    package var description: String {
        switch self {
        case .commandFailed(let opcode, .refused(let code)):
            "it refused the command \(opcode): \(code)"
        case .commandFailed(let opcode, .timedOut): "it did not answer the command \(opcode)"
        case .commandFailed(let opcode, .discarded): "the command \(opcode) was not sent"
        case .commandFailed(let opcode, .malformed):
            "its answer to the command \(opcode) is malformed"
        case .noBuffers: "it reports no buffers for data"
        }
    }
}

/// The procedure that takes a controller from any state to a known one and reads its capabilities.
///
/// Startup is a list of steps, each of which is one command. Send the command that `next()`
/// returns, and pass its result to `finished(_:)`, until that returns `.ready` or `.failed`.
/// Three commands are required: the reset, and those that read the version and the list of
/// supported commands. Startup fails if one of them does not succeed. It omits other commands that
/// the controller does not list as supported. Some controllers refuse a command that they list, and
/// startup then continues without it. Startup also fails if a command is discarded, or if the
/// controller does not report its buffers.
package struct ControllerStartup: Sendable {
    package enum Progress: Sendable, Equatable {
        /// `next()` returns another command to send.
        case `continue`
        case ready(ControllerCapabilities)
        case failed(StartupError)
    }

    private var step: StartupStep? = .reset
    private var capabilities: ControllerCapabilities
    private let randomAddress: DeviceAddress?

    /// Creates the startup of one controller.
    ///
    /// - Parameter randomAddress: The random address that startup sets, static or private, or `nil`
    ///   to set none.
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

    /// Returns the command to send now, or `nil` when startup has ended.
    package func next() -> HCI.EncodedCommand? {
        step.flatMap { $0.command(for: capabilities, randomAddress: randomAddress) }
    }

    /// Continues after the command of the last `next()` has ended.
    package mutating func finished(_ result: CommandResult) -> Progress {
        guard let step else { return .ready(capabilities) }
        do {
            try Self.note(result, of: step, randomAddress: randomAddress, in: &capabilities)
        } catch {
            // A queue that discards commands sends no further ones, so startup cannot continue.
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

    /// Advances to the next step that is needed.
    private mutating func advance(after step: StartupStep) {
        self.step = StartupStep.allCases.drop { $0 != step }.dropFirst().first { next in
            next.isNeeded(for: capabilities, randomAddress: randomAddress)
        }
    }
}
