// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// The current and requested activities of a controller besides advertising.
package struct ControllerActivities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passiveScanning = ControllerActivities(rawValue: 1 << 0)
    package static let activeScanning = ControllerActivities(rawValue: 1 << 1)
    package static let initiating = ControllerActivities(rawValue: 1 << 2)
    /// The controller has links as a central.
    package static let central = ControllerActivities(rawValue: 1 << 3)
    /// The controller has links as a peripheral.
    package static let peripheral = ControllerActivities(rawValue: 1 << 4)
}

extension CentralScheduler {
    /// The current and requested activities of the scanner and the initiator.
    package var activities: ControllerActivities {
        var activities: ControllerActivities = []
        if let requested = scan.requested {
            activities.insert(requested.isActive ? .activeScanning : .passiveScanning)
        }
        if !initiation.isIdle || queue.hasEligible { activities.insert(.initiating) }
        return activities
    }
}

extension CommandDialect {
    /// Returns whether the controller reports that it can advertise with these parameters during
    /// its other activities (LE Read Supported States, Vol 4, Part E, 7.8.27). If the controller
    /// does not report the kind of advertising at all, the host tries it, because the controller
    /// can still refuse.
    func allows(_ parameters: AdvertisingParameters, beside activities: ControllerActivities)
        -> Bool
    {
        let states = capabilities.states
        let kind = AdvertisingStates(of: parameters.properties)
        guard states.contains(kind.alone) else { return true }
        return kind.combined.allSatisfy {
            !activities.contains($0.activity) || states.contains($0.state)
        }
    }
}

/// The supported states for one kind of advertising: alone, and combined with each other activity.
private struct AdvertisingStates {
    typealias States = HCI.LESupportedStates

    let alone: States
    let combined: [(activity: ControllerActivities, state: States)]

    /// Creates the states of a kind, in this order: alone, with passive and with active scanning,
    /// with initiating, as a central, as a peripheral.
    private init(
        _ alone: States,
        _ passive: States,
        _ active: States,
        _ initiating: States,
        _ central: States,
        _ peripheral: States
    ) {
        self.alone = alone
        combined = [
            (.passiveScanning, passive), (.activeScanning, active), (.initiating, initiating),
            (.central, central), (.peripheral, peripheral),
        ]
    }

    init(of properties: HCI.AdvertisingProperties) {
        if properties.contains(.highDutyCycle) {
            self = .highDuty
        } else if properties.contains(.directed) {
            self = .lowDuty
        } else if properties.contains(.connectable) {
            self = .connectable
        } else {
            self = properties.contains(.scannable) ? .scannable : .nonConnectable
        }
    }

    private static let connectable = AdvertisingStates(
        .connectableAdvertising,
        .connectableAdvertisingAndPassiveScanning,
        .connectableAdvertisingAndActiveScanning,
        .connectableAdvertisingAndInitiating,
        .connectableAdvertisingAndCentral,
        .connectableAdvertisingAndPeripheral
    )
    private static let highDuty = AdvertisingStates(
        .highDutyDirectedAdvertising,
        .highDutyDirectedAdvertisingAndPassiveScanning,
        .highDutyDirectedAdvertisingAndActiveScanning,
        .highDutyDirectedAdvertisingAndInitiating,
        .highDutyDirectedAdvertisingAndCentral,
        .highDutyDirectedAdvertisingAndPeripheral
    )
    private static let lowDuty = AdvertisingStates(
        .lowDutyDirectedAdvertising,
        .lowDutyDirectedAdvertisingAndPassiveScanning,
        .lowDutyDirectedAdvertisingAndActiveScanning,
        .lowDutyDirectedAdvertisingAndInitiating,
        .lowDutyDirectedAdvertisingAndCentral,
        .lowDutyDirectedAdvertisingAndPeripheral
    )
    private static let scannable = AdvertisingStates(
        .scannableAdvertising,
        .scannableAdvertisingAndPassiveScanning,
        .scannableAdvertisingAndActiveScanning,
        .scannableAdvertisingAndInitiating,
        .scannableAdvertisingAndCentral,
        .scannableAdvertisingAndPeripheral
    )
    private static let nonConnectable = AdvertisingStates(
        .nonConnectableAdvertising,
        .nonConnectableAdvertisingAndPassiveScanning,
        .nonConnectableAdvertisingAndActiveScanning,
        .nonConnectableAdvertisingAndInitiating,
        .nonConnectableAdvertisingAndCentral,
        .nonConnectableAdvertisingAndPeripheral
    )
}
