// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What peers ask on the signalling channel: other connection parameters, as a rule.
extension HostCore {
    mutating func perform(
        _ action: SignallingChannel.Action,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        switch action {
        case .send(let payload): sendSignalling(payload, on: handle, now: now)
        case .decide(let request, let identifier):
            decide(request, identifier, on: handle, now: now)
        case .requestEnded: break
        case .ignore(let reason): emit(.log("ignored a signalling command: \(reason)"))
        }
    }

    private mutating func decide(
        _ request: ConnectionParametersRequest,
        _ identifier: Signalling.Identifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        // One at a time: whoever asks again meanwhile would fill the queue of commands.
        let isBusy = links[handle]?.procedures[.connectionUpdate] != nil
        let accepts = configuration.acceptsParameterRequests && !isBusy
        if let answer = links[handle]?.signalling.respond(to: identifier, accepting: accepts) {
            sendSignalling(answer, on: handle, now: now)
        }
        guard accepts else { return }
        let command = HCI.LEConnectionUpdate(
            connectionHandle: handle,
            parameters: HCI.ConnectionParameters(request)
        )
        let encoded = HCI.EncodedCommand(command)
        upkeep(encoded, on: handle, beginning: .connectionUpdate, now: now)
    }

    private mutating func sendSignalling(
        _ payload: [UInt8],
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let waiting = links[handle]?.signallingPDUs.count,
            waiting < LinkState.signallingLimit
        else { return }
        links[handle]?.signallingPDUs.append(payload)
        pump(handle, now: now)
    }
}
