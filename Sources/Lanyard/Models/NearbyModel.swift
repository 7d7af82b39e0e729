// SPDX-License-Identifier: Apache-2.0

import Observation

/// The devices nearby, for a view in which a person chooses one.
///
/// ```swift
/// let nearby = NearbyModel(central, for: HeartStrap.description)
/// await nearby.search()  // in the task of the view
/// ```
///
/// A view that reads a property is updated when the property changes.
/// ``CentralModel/pair(_:with:)`` pairs the device that a person chose.
@MainActor @Observable
public final class NearbyModel {
    /// The present devices, strongest signal first (see ``NearbyDevices/devices``). Empty unless
    /// ``search()`` runs.
    public var devices: [NearbyDevice] { list.devices }
    /// The most recently lost devices, newest first; empty unless ``search()`` runs.
    public var lost: [NearbyDevice] { list.lost }
    /// Whether a search is running.
    public var isSearching: Bool { searchCount > 0 }
    /// The reason why the latest search failed; `nil` if it did not fail.
    public private(set) var problem: Problem?

    private var list = NearbyDevices()
    private var searchCount = 0
    private let central: AccessoryCentral
    private let matcher: AccessoryMatcher
    private let options: PresenceOptions

    /// Creates a model, which does not search yet.
    ///
    /// - Parameters:
    ///   - central: The central.
    ///   - description: The description of the accessories, whose matcher selects the devices.
    ///   - options: The rules by which a device counts as present or lost.
    public init(
        _ central: AccessoryCentral,
        for description: AccessoryDescription,
        options: PresenceOptions = PresenceOptions()
    ) {
        self.central = central
        matcher = description.matcher
        self.options = options
    }

    /// Searches until the task is canceled or the central ends. The lists are empty when the last
    /// search has ended.
    ///
    /// The method returns at once if the search is not allowed (see ``problem``), or if 256 scans of
    /// the central are requested already.
    ///
    /// In SwiftUI, the task of a view is canceled when the view disappears: `.task { await
    /// nearby.search() }`. The search keeps the model and the central for as long as it runs.
    public func search() async {
        // A view can begin a search before the canceled task of another view has ended.
        searchCount += 1
        problem = nil
        defer {
            searchCount -= 1
            if searchCount == 0 { list = NearbyDevices() }
        }
        do throws(AccessoryError) {
            for await nearby in try central.nearby(matching: matcher, options: options) {
                list = nearby
            }
        } catch {
            problem = Problem(error)
        }
    }
}
