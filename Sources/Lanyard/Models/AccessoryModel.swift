// SPDX-License-Identifier: Apache-2.0

import Observation

/// An accessory for a screen: its name, its state, and advice for a person.
///
/// ```swift
/// let model = AccessoryModel(accessory)
/// print(model.status, model.advice ?? "")  // Not in range. Bring it nearer, …
/// ```
///
/// A view that reads a property is updated when the property changes. The model follows the
/// accessory as long as the app holds the model, and keeps the accessory and its central running.
@MainActor @Observable
public final class AccessoryModel: Identifiable {
    /// The accessory.
    public nonisolated let accessory: Accessory
    /// The name of the device, or `nil` as long as it is unknown.
    public private(set) var name: String?
    /// The latest change of the state, with its reason.
    public private(set) var change: AccessoryChange
    @ObservationIgnored private var observation: ObservationToken?

    /// Creates a model, which follows the accessory at once.
    ///
    /// - Parameter accessory: The accessory.
    public init(_ accessory: Accessory) {
        self.accessory = accessory
        name = accessory.name
        change = accessory.latestChange
        observation = accessory.changes.forEach { @MainActor [weak self] change in
            self?.show(change)
        }
    }

    /// The identity of the accessory.
    public nonisolated var id: Accessory.ID { accessory.id }

    /// The state of the accessory.
    public var state: AccessoryState { change.state }

    /// Whether the accessory is ready.
    public var isReady: Bool { state == .ready }

    /// The state in a few words, for example `Connected`.
    public var status: String {
        if case .notPaired = change.reason { return state.label }
        return state == .connected ? "Pairing" : state.label
    }

    /// A suggestion of what a person can do so that the accessory is connected; `nil` if there is
    /// none.
    public var advice: String? { change.recoverySuggestion }

    /// Requests a connection; see ``Accessory/connect()``.
    public func connect() { accessory.connect() }

    /// Shows a change, unless a later one is shown.
    func show(_ change: AccessoryChange) {
        // An older change can wait in the sequence while a newer one is already shown.
        guard change.number >= self.change.number else { return }
        if name != accessory.name { name = accessory.name }
        if self.change != change { self.change = change }
    }
}

extension AccessoryState {
    /// The state in a few words, for a screen.
    ///
    /// The state `connected` does not show whether a pairing is in progress or has failed. For both,
    /// the label is `Not paired`. ``AccessoryModel/status`` uses the reason as well.
    public var label: String {
        switch self {
        case .waitingForBluetooth, .restoring: "Starting"
        case .poweredOff: "Bluetooth is off"
        case .unauthorized: "Bluetooth is not allowed"
        case .unsupported: "No Bluetooth"
        case .idle: "Not connected"
        case .scanning: "Searching"
        case .connecting, .discoveringServices, .discoveringCharacteristics, .subscribing:
            "Connecting"
        case .connected: "Not paired"
        case .ready: "Connected"
        case .outOfRange: "Not in range"
        case .disconnecting: "Disconnecting"
        }
    }
}
