// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// Scanning, connecting and advertising through the port.
extension BluetoothHost {
    /// Scans until `endScan(_:)`. `HostEvent.advertised` reports advertisements.
    ///
    /// If the adapter is not ready, the scan begins when it is. A scan continues after the
    /// controller was reset. The host calls `completion` when the scan ends or fails, or when the
    /// host is shut down.
    package func beginScan(
        _ request: ScanRequest,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            port.scans.insert(id)
            core.startScan(request, id: id, now: now)
        }
    }

    /// Ends a scan. Its completion gets `HostAnswer.done`, and the observer gets no more
    /// advertisements of it.
    package func endScan(_ id: RequestIdentifier) {
        port.scans.remove(id)
        cancel(id, as: .success(.done)) { core, now in core.stopScan(id, now: now) }
    }

    /// Connects to the device with this address. The answer is `HostAnswer.link`. See
    /// `connect(to:options:)` for the errors.
    package func beginConnecting(
        to address: DeviceAddress,
        options: ConnectOptions = ConnectOptions(),
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            core.requestConnection(address, options: options, id: id, now: now)
        }
    }

    /// Cancels a connection request, and ends a link that is being established for it. A request
    /// that has already completed does not change.
    package func cancelConnectionRequest(_ id: RequestIdentifier) {
        cancel(id) { core, now in core.cancelConnectionRequest(id, now: now) }
    }

    /// Advertises until `endAdvertising(_:)` or until the set ends by itself.
    ///
    /// `HostEvent.advertisingEnded` reports the end in both cases. The answer is
    /// `HostAnswer.advertising` when the set is in force. See `advertise(_:)`.
    package func beginAdvertising(
        _ advertising: Advertising,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            core.startAdvertising(advertising, id: id, now: now)
        }
    }

    /// Replaces the data, the type and the timing of a set. The answer is
    /// `HostAnswer.advertising` when the change is in force.
    @discardableResult
    package func beginUpdate(
        of set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            core.updateAdvertising(set, to: advertising, id: id, now: now)
        }
    }

    /// Stops a set. `HostEvent.advertisingEnded` reports when the controller has stopped the set.
    /// Requests that await the set get `AdvertisingError.ended`.
    package func endAdvertising(_ id: RequestIdentifier) {
        core.stopAdvertising(id, now: executor.now)
        settle()
    }
}
