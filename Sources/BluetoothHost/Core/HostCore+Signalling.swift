// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What peers ask on the signalling channel: other connection parameters, as a rule.
extension HostCore {
    mutating func receiveSignalling(
        _ payload: ArraySlice<UInt8>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        let conditions = channelConditions(of: link)
        guard
            let actions = links[handle]?.logicalLink
                .receiveSignalling(payload, under: conditions, now: now)
        else { return }
        perform(actions, on: handle, now: now)
    }

    mutating func decide(
        _ request: ConnectionParametersRequest,
        _ identifier: Signalling.Identifier,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        // One at a time: whoever asks again meanwhile would fill the queue of commands.
        let isBusy = links[handle]?.procedures[.connectionUpdate] != nil
        let accepts = configuration.acceptsParameterRequests && !isBusy
        links[handle]?.logicalLink.respond(to: identifier, accepting: accepts)
        // The response goes first: the update would be news to the peer.
        pump(handle, now: now)
        guard accepts else { return }
        let command = HCI.LEConnectionUpdate(
            connectionHandle: handle,
            parameters: HCI.ConnectionParameters(request)
        )
        let encoded = HCI.EncodedCommand(command)
        upkeep(encoded, on: handle, beginning: .connectionUpdate, now: now)
    }
}
