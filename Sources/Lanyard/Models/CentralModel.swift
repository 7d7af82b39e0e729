// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation

/// A central for a screen: its accessories, the availability of Bluetooth, the connection slots,
/// and pairing.
///
/// ```swift
/// let model = CentralModel(for: [HeartStrap.description])
/// await model.pair(HeartStrap.description)
/// print(model.accessories.map(\.status), model.problem?.message ?? "")
/// ```
///
/// An app makes one model at each launch and keeps it. A view that reads a property is updated when
/// the property changes.
@MainActor @Observable
public final class CentralModel {
    /// The central.
    public nonisolated let central: AccessoryCentral
    /// The models of the paired accessories, in the order of pairing.
    public private(set) var accessories: [AccessoryModel] = []
    /// The availability of Bluetooth.
    public private(set) var availability: Availability
    /// The connection slots, their holders, and the accessories that wait.
    public private(set) var slots: ConnectionSlots
    /// The pairing that a `pair` method runs, the last one if there are several; `nil` if none
    /// runs.
    public var pairing: PairingModel? { pairings.last }
    /// Whether a call of a `pair` method, ``disconnect(_:)``, ``forget(_:)`` or ``perform(_:)`` is
    /// running.
    public var isBusy: Bool { runningCount > 0 }
    /// The latest problem, which the app sets to `nil` when a person has seen it.
    public var problem: Problem?
    private var runningCount = 0
    private var pairings: [PairingModel] = []
    @ObservationIgnored private var observations: [ObservationToken] = []

    /// Creates a model of a central.
    ///
    /// - Parameter central: The central.
    public init(_ central: AccessoryCentral) {
        self.central = central
        availability = central.availability
        slots = central.connectionSlots
        // The sequence is created before the accessories are read. Otherwise, a change between the
        // two would be missed.
        let changes = central.accessoryChanges
        accessories = central.accessories.map { AccessoryModel($0) }
        observations = [
            changes.forEach { @MainActor [weak self] change in self?.show(change) },
            central.availabilityChanges.forEach { @MainActor [weak self] _ in self?.refresh() },
            central.connectionSlotChanges.forEach { @MainActor [weak self] _ in self?.refresh() },
        ]
    }

    /// Creates a central with its model.
    ///
    /// - Parameters:
    ///   - descriptions: The descriptions of the accessories that the central may remember or pair.
    ///   - configuration: The configuration of the central.
    public convenience init(
        for descriptions: [AccessoryDescription],
        configuration: AccessoryCentral.Configuration = .init()
    ) {
        self.init(AccessoryCentral(for: descriptions, configuration: configuration))
    }

    /// A suggestion of what a person can do so that Bluetooth becomes available; `nil` if Bluetooth
    /// is available or becomes available by itself.
    public var advice: String? { availability.recoverySuggestion }

    /// Pairs an accessory; see ``AccessoryCentral/pair(_:)-(AccessoryDescription)``. ``pairing``
    /// shows the progress. An error becomes the ``problem``, unless the task or the pairing is
    /// canceled.
    ///
    /// - Parameter description: The description of the accessory.
    /// - Returns: The model of the accessory, which is among ``accessories``; `nil` if there is no
    ///   accessory.
    @discardableResult
    public func pair(_ description: AccessoryDescription) async -> AccessoryModel? {
        await add { try central.pairing(description) }
    }

    /// Pairs the device that a person chose from a ``NearbyModel``. ``pairing`` shows the progress.
    /// An error becomes the ``problem``, unless the task or the pairing is canceled.
    ///
    /// - Parameters:
    ///   - description: The description of the accessory.
    ///   - device: The device.
    /// - Returns: The model of the accessory, which is among ``accessories``; `nil` if there is no
    ///   accessory.
    @discardableResult
    public func pair(
        _ description: AccessoryDescription,
        with device: NearbyDevice
    ) async -> AccessoryModel? {
        await add { try central.pairing(description, with: device) }
    }

    /// Ends the link of an accessory, which stays known and leaves its connection slot to another
    /// accessory; see ``Accessory/disconnect()``. Errors are handled as by ``perform(_:)``.
    ///
    /// - Parameter model: The model of the accessory.
    public func disconnect(_ model: AccessoryModel) async {
        await perform {
            try await model.accessory.disconnect()
            model.show(model.accessory.latestChange)
        }
    }

    /// Forgets an accessory; see ``AccessoryCentral/forget(_:)``. Errors are handled as by
    /// ``perform(_:)``.
    ///
    /// - Parameter model: The model of the accessory.
    public func forget(_ model: AccessoryModel) async {
        await perform {
            try await central.forget(model.accessory)
            show(.removed(model.accessory))
        }
    }

    /// Sets ``problem`` to `nil`, and performs an action of the screen. An error becomes the
    /// ``problem``, unless it reports a cancellation.
    ///
    /// - Parameter action: The action.
    public func perform(_ action: () async throws -> Void) async {
        runningCount += 1
        defer {
            runningCount -= 1
            refresh()
        }
        problem = nil
        do {
            try await action()
        } catch AccessoryError.cancelled {
        } catch is CancellationError {
        } catch {
            problem = Problem(error)
        }
    }

    /// Shows a pairing, and then its accessory, which the sequence of changes reports only later.
    private func add(_ begin: () throws -> Pairing) async -> AccessoryModel? {
        var paired: Accessory?
        await perform {
            let model = PairingModel(try begin())
            pairings.append(model)
            defer { pairings.removeAll { $0 === model } }
            paired = try await model.pairing.accessory()
        }
        // Another part of the app may have forgotten the accessory meanwhile.
        guard let paired, central.accessories.contains(where: { $0 === paired }) else { return nil }
        show(.added(paired))
        return accessories.first { $0.accessory === paired }
    }

    /// Shows the current availability and slots. The change that caused the call may have waited,
    /// and may be outdated.
    private func refresh() {
        if availability != central.availability { availability = central.availability }
        if slots != central.connectionSlots { slots = central.connectionSlots }
    }

    private func show(_ change: AccessoryListChange) {
        switch change {
        case .added(let accessory):
            guard !accessories.contains(where: { $0.accessory === accessory }) else { return }
            accessories.append(AccessoryModel(accessory))
        case .removed(let accessory):
            accessories.removeAll { $0.accessory === accessory }
        }
    }
}

/// An error as texts for a screen.
public struct Problem: Identifiable, Hashable, Sendable {
    /// An identifier that differs between problems.
    public let id = UUID()
    /// A description of what happened.
    public let title: String
    /// The reason, and what a person can do; empty if nothing is known.
    public let message: String

    /// Creates a problem from an error.
    ///
    /// - Parameter error: The error. If it is a `LocalizedError`, its texts are used.
    public init(_ error: any Error) {
        let localized = error as? any LocalizedError
        title = localized?.errorDescription ?? error.localizedDescription
        message = sentences(localized?.failureReason, localized?.recoverySuggestion)
    }
}
