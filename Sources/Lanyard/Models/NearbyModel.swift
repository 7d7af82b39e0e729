// SPDX-License-Identifier: Apache-2.0

import Observation

/// The devices nearby for a screen on which a person chooses one.
///
/// ```swift
/// let nearby = NearbyModel(central, for: HeartStrap.description)
/// await nearby.search()  // in the task of the view
/// ```
///
/// A view that reads a property is updated when the property changes. ``CentralModel/pair(_:with:)``
/// pairs the device that a person chose.
@MainActor @Observable
public final class NearbyModel {
    /// The present devices: near ones first, and otherwise in the order of their discovery, so that
    /// a row keeps its place. Empty unless ``search()`` runs.
    public private(set) var devices: [PresentDevice] = []
    /// Whether a search is running.
    public private(set) var isSearching = false
    /// The reason why no search is possible; `nil` if it is.
    public private(set) var problem: Problem?

    private let central: AccessoryCentral
    private let description: AccessoryDescription
    /// The devices by the identities of the events, the latest event last.
    @ObservationIgnored private var heard: [PresentDevice] = []

    /// Creates a model, which does not search yet.
    ///
    /// - Parameters:
    ///   - central: The central.
    ///   - description: The description of the accessories. Its matcher selects the devices, and a
    ///     device that it recognizes stays one row when its address changes.
    public init(_ central: AccessoryCentral, for description: AccessoryDescription) {
        self.central = central
        self.description = description
    }

    /// Searches until the task is canceled or the central ends; then the list is empty. A second
    /// search beside the first returns at once.
    ///
    /// In SwiftUI, the task of a view is canceled when the view disappears: `.task { await
    /// nearby.search() }`. The search keeps the model and the central for as long as it runs.
    public func search() async {
        guard !isSearching else { return }
        isSearching = true
        problem = nil
        defer {
            isSearching = false
            (devices, heard) = ([], [])
        }
        do throws(AccessoryError) {
            for await event in try central.presence(matching: description.matcher) { show(event) }
        } catch {
            problem = Problem(error)
        }
    }

    private func show(_ event: PresenceEvent) {
        heard.removeAll { $0.identity == event.device.identity }
        if case .lost = event {} else { heard.append(event.device) }
        // A device whose address has changed was heard under several identities.
        var latest: [AccessoryIdentity: PresentDevice] = [:]
        for var device in heard {
            device.identity = recognizedIdentity(of: device)
            latest[device.identity] = device
        }
        var order = devices.map(\.id)
        for device in heard {
            let identity = recognizedIdentity(of: device)
            if !order.contains(identity) { order.append(identity) }
        }
        let rows = order.compactMap { latest[$0] }
        // The order within each group stays.
        devices = rows.filter { $0.proximity == .near } + rows.filter { $0.proximity == .far }
    }

    private func recognizedIdentity(of device: PresentDevice) -> AccessoryIdentity {
        device.discovery.flatMap { AccessoryIdentity(of: $0, by: description.identity) }
            ?? device.identity
    }
}

extension PresentDevice: Identifiable {
    /// The identity of the device.
    public var id: AccessoryIdentity { identity }
}
