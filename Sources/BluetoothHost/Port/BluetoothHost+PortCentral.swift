// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// Scanning, dialling and advertising by the port.
extension BluetoothHost {
    /// Scans until `endScan(_:)`, or until the scan fails or the host is shut down: then `completion`
    /// is told. What is found is told by `HostEvent.advertised`. A scan that is begun while the adapter
    /// is not ready begins when it is, and goes on after the controller was reset.
    package func beginScan(
        _ request: ScanRequest,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            port.scans.insert(id)
            core.startScan(request, id: id, now: now)
        }
    }

    /// Ends a scan, whose completion is told `HostAnswer.done`. Nothing is advertised to it any more.
    package func endScan(_ id: RequestIdentifier) {
        port.scans.remove(id)
        cancel(id, as: .success(.done)) { core, now in core.stopScan(id, now: now) }
    }

    /// Connects to the device with this address; the answer is `HostAnswer.link`. See
    /// `connect(to:options:)` for what it comes to, and for the failures.
    package func beginDial(
        to address: DeviceAddress,
        options: ConnectOptions = ConnectOptions(),
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            core.dial(address, options: options, id: id, now: now)
        }
    }

    /// Gives a dial up, and ends its link if there is one already.
    package func cancelDial(_ id: RequestIdentifier) {
        cancel(id) { core, now in core.cancelDial(id, now: now) }
    }

    /// Advertises until `endAdvertising(_:)`, or until the set ends by itself, which
    /// `HostEvent.advertisingEnded` tells in either case. The answer is `HostAnswer.advertising`, when
    /// the set is in force. See `advertise(_:)`.
    package func beginAdvertising(
        _ advertising: Advertising,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(then: completion) { core, id, now in
            core.startAdvertising(advertising, id: id, now: now)
        }
    }

    /// Advertises something else in the place of a set; the answer is as for `beginAdvertising`.
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

    /// Stops a set; `HostEvent.advertisingEnded` tells when it is off the air. Who still waits for it
    /// to come into force is told that it has ended.
    package func endAdvertising(_ id: RequestIdentifier) {
        core.stopAdvertising(id, now: executor.now)
        settle()
    }
}
