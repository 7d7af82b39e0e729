// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Commands to the controller about the link, and their answers.
extension LinkCore {
    /// Sends the command of a request. If the result arrives later in an event, the request waits
    /// in `procedures` until then, and a second request for that procedure fails with `busy`.
    mutating func sendCommand(
        for request: LinkRequest,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        guard let command = request.command(to: handle),
            context.capabilities?.commands.contains(command.opcode) == true
        else { return context.fail(id, HostError.unsupported(request.featureName)) }
        if let procedure = request.procedure {
            guard procedures[procedure] == nil else { return context.fail(id, HostError.busy) }
            procedures[procedure] = Waiter(
                request: id,
                deadline: context.now + Self.procedureTimeout
            )
        }
        context.send(command, for: .link(identifier, .request(id, request)))
    }

    mutating func sendHostCommand(
        _ command: HCI.EncodedCommand,
        beginning procedure: Procedure? = nil,
        _ context: inout LinkContext
    ) {
        if let procedure {
            procedures[procedure] = Waiter(
                request: nil,
                deadline: context.now + Self.procedureTimeout
            )
        }
        context.send(command, for: .link(identifier, .hostCommand(procedure)))
    }

    /// Asks for the PHYs of a new link, which no event reports before their first change.
    mutating func readFirstPHY(_ context: inout LinkContext) {
        guard context.capabilities?.supports(HCI.LEReadPHY.self) == true else { return }
        let command = HCI.LEReadPHY(connectionHandle: handle)
        context.send(HCI.EncodedCommand(command), for: .link(identifier, .phy))
    }

    /// Takes the controller's answer to a command.
    mutating func commandFinished(
        _ command: LinkCommand,
        _ result: CommandResult,
        _ context: inout LinkContext
    ) {
        switch command {
        case .parameters: parametersAnswered(result, &context)
        case .disconnection: disconnectionAnswered(result, &context)
        case .phy: notePHY(result)
        case .hostCommand(let procedure): hostCommandAnswered(procedure, result, &context)
        case .request(let id, let request):
            if case .readPHY = request { notePHY(result) }
            guard let failure = context.complete(id, request, by: result) else { return }
            guard let procedure = request.procedure else { return context.fail(id, failure) }
            guard let waiter = procedures.removeValue(forKey: procedure) else { return }
            if let waiting = waiter.request { context.fail(waiting, failure) }
        }
    }

    private mutating func notePHY(_ result: CommandResult) {
        guard let answer = try? result.decode(as: HCI.LEReadPHY.self) else { return }
        phy = LinkPHY(transmit: answer.transmit, receive: answer.receive)
    }

    private mutating func hostCommandAnswered(
        _ procedure: Procedure?,
        _ result: CommandResult,
        _ context: inout LinkContext
    ) {
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch {
            if let procedure { procedures[procedure] = nil }
            // A controller that is reset no longer has a link, and gets no command before Reset.
            guard context.state == .ready else { return }
            context.emit(.log("the controller refused a command of the host: \(error)"))
            guard procedure == .encryption else { return }
            encryptionFailed(HostError(error, context.state), &context)
        }
    }

    /// Withdraws the unsent commands, because the controller may soon use the connection handle for
    /// another link. Requests that await a procedure fail when the link ends.
    func withdrawCommands(_ error: HostError, _ context: inout LinkContext) {
        let withdrawn = context.commands.withdraw { purpose in
            if case .link(identifier, _) = purpose { true } else { false }
        }
        for case .link(_, .request(let id, let request)) in withdrawn
        where request.procedure == nil {
            context.fail(id, error)
        }
    }

    /// Ends a procedure and the request that awaits it.
    mutating func procedureEnded(
        _ procedure: Procedure,
        _ result: Result<HostAnswer, HostError>,
        _ context: inout LinkContext
    ) {
        guard let request = procedures.removeValue(forKey: procedure)?.request else { return }
        context.emit(.completed(request, result.mapError { $0 }))
    }

    mutating func expireProcedures(_ context: inout LinkContext) {
        for (procedure, waiter) in procedures where waiter.deadline <= context.now {
            procedures[procedure] = nil
            if let request = waiter.request { context.fail(request, HostError.timedOut) }
            if procedure == .encryption { encryptionFailed(.timedOut, &context) }
            // A failure that arrives later must not begin a request on the signaling channel.
            if procedure == .connectionUpdate { askedParameters = nil }
        }
    }
}

extension LinkContext {
    /// Completes a request whose result is in the answer to its command. A later event completes
    /// other requests. Returns the error of a failed command, or `nil` if the command succeeded.
    mutating func complete(
        _ id: RequestIdentifier,
        _ request: LinkRequest,
        by result: CommandResult
    ) -> HostError? {
        do throws(CommandFailure) {
            switch request {
            case .readRSSI:
                // 127 means that the value is not available (Vol 4, Part E, 7.5.4).
                let rssi = try result.decode(as: HCI.ReadRSSI.self).rssi
                complete(id, .rssi(rssi == 127 ? nil : Int(rssi)))
            case .readPHY:
                let phy = try result.decode(as: HCI.LEReadPHY.self)
                complete(id, .phy(LinkPHY(transmit: phy.transmit, receive: phy.receive)))
            case .setDataLength:
                try result.requireSuccess()
                complete(id, .done)
            default: try result.requireSuccess()  // An event completes the request.
            }
            return nil
        } catch {
            return HostError(error, state)
        }
    }

    /// Completes a request whose link ended before the controller answered the command.
    mutating func commandFinished(_ command: LinkCommand, afterEndOfLink result: CommandResult) {
        guard case .request(let id, let request) = command,
            let failure = complete(id, request, by: result), request.procedure == nil
        else { return }
        fail(id, failure)
    }
}
