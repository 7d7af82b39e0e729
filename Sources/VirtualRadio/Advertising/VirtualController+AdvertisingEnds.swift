// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The ends of advertising without a command from the host.
extension VirtualController {
    /// Handles the end of the set's duration.
    mutating func advertisingEnds(_ set: UInt8, _ ether: inout Ether) {
        guard let index = advertiser.index(of: set), advertiser.sets[index].run?.end == ether.now
        else { return }
        advertiser.sets[index].run?.endTimer = nil
        if advertiser.sets[index].isOfLegacyCommands {
            // High duty cycle directed advertising ended without a connection, which the controller
            // reports in a Connection Complete event (Vol 4, Part E, 7.8.9).
            stopAdvertising(index, &ether)
            ether.reportFailureToHost(.advertisingTimeout, .peripheral, radio)
        } else {
            terminateSet(index, .advertisingTimeout, &ether)
        }
    }

    /// Ends the set because it has led to a connection.
    mutating func connect(_ index: Int, as handle: ConnectionHandle, _ ether: inout Ether) {
        if advertiser.sets[index].isOfLegacyCommands {
            stopAdvertising(index, &ether)
        } else {
            terminateSet(index, .success, connection: handle, &ether)
        }
    }

    /// Ends an extended set and reports it to the host (Vol 4, Part E, 7.7.65.18).
    mutating func terminateSet(
        _ index: Int,
        _ reason: HCI.ErrorCode,
        connection: ConnectionHandle = ConnectionHandle(rawValue: 0),
        _ ether: inout Ether
    ) {
        let terminated = HCI.LEAdvertisingSetTerminated(
            status: reason,
            advertisingHandle: advertiser.sets[index].handle,
            connectionHandle: connection,
            completedEvents: advertiser.sets[index].run?.reportedEvents ?? 0
        )
        stopAdvertising(index, &ether)
        ether.emit(.advertisingSetTerminated(terminated), to: radio)
    }

    /// Cancels the timer for the end of a request, because the request has arrived.
    mutating func cancelWait(_ index: Int, _ ether: inout Ether) {
        var timer = advertiser.sets[index].run?.timer
        ether.cancel(&timer)
        advertiser.sets[index].run?.timer = nil
    }
}
