// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Publishes a service, makes the connected clients change-unaware, and sends Service Changed
    /// to those that have subscribed to it.
    ///
    /// Generic Access and Generic Attribute exist from the start. Until the first client connects,
    /// a definition of one of them replaces it, and any definition may use its handles, as
    /// `CoreServices` describes. After that, such a definition throws `reserved` or
    /// `handleNotFree`.
    package mutating func publish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> (GATT.DiscoveredService, [Action]) {
        let service = try makeWayAndPublish(definition)
        locateServiceChanged()
        return (service, databaseChanged(in: service.service.handles))
    }

    /// Removes the service whose declaration has this handle, makes the connected clients
    /// change-unaware, and sends Service Changed to those that have subscribed to it.
    ///
    /// If the service is the application's own Generic Access or Generic Attribute, the server's
    /// own service takes its place. This method does not remove the server's own services.
    package mutating func unpublish(
        _ handle: AttributeHandle
    ) throws(GATT.DefinitionError) -> [Action] {
        if let uuid = database.service(at: handle)?.uuid, core.handles[uuid] == handle {
            throw .reserved(uuid)
        }
        var handles = try database.unpublish(handle).handles
        for uuid in CoreServices.uuids where !database.services.contains(where: { $0.uuid == uuid })
        {
            let added = try addCoreService(uuid).handles
            let start = min(handles.lowerBound, added.lowerBound)
            handles = start...max(handles.upperBound, added.upperBound)
        }
        locateServiceChanged()
        return databaseChanged(in: handles)
    }

    /// Sets a value in the database. Clients are not informed. To inform them, send notifications.
    package mutating func setValue(
        _ value: [UInt8],
        of handle: AttributeHandle
    ) throws(GATT.DefinitionError) {
        guard let attribute = database.attribute(handle) else { throw .notPublished(handle) }
        guard case .stored(_, let maximumLength) = attribute.value else { throw .notStored(handle) }
        guard value.count <= maximumLength else { throw .valueTooLong(attribute.type) }
        database.store(value, at: handle)
    }

    /// Returns a value that `setValue(_:of:)` can change, or `nil` if the attribute has no such
    /// value or does not exist.
    package func value(of handle: AttributeHandle) -> [UInt8]? {
        guard case .stored(let value, _) = database.attribute(handle)?.value else { return nil }
        return value
    }

    /// Sets the name, the appearance and the preferred connection parameters of the device. This
    /// has no effect if the application has published its own Generic Access.
    ///
    /// - Parameters:
    ///   - name: The name, which is truncated to 248 bytes of UTF-8.
    ///   - appearance: The appearance, with the values of Assigned Numbers.
    ///   - preferred: 8 bytes in transmission order, or `nil` for no preference. Any other number
    ///     of bytes counts as `nil`.
    package mutating func setGenericAccess(
        name: String,
        appearance: UInt16 = 0,
        preferred: [UInt8]? = nil
    ) {
        core.genericAccess = .init(name: name, appearance: appearance)
        if let preferred, preferred.count == 8 {
            core.genericAccess.preferredConnectionParameters = preferred
        }
        storeAccessValues()
    }

    /// Sets whether this device, as a central, resolves its private address in directed advertising
    /// (Vol 3, Part C, 12.4). This has no effect on a server of a device without private addresses.
    package mutating func setResolvesAddresses(_ resolvesAddresses: Bool) {
        guard let before = core.resolvesAddresses, before != resolvesAddresses else { return }
        core.resolvesAddresses = resolvesAddresses
        storeAccessValues()
    }

    private mutating func storeAccessValues() {
        guard let handle = core.handles[GATT.AttributeType.genericAccess],
            let service = database.service(at: handle)
        else { return }
        for (type, value) in core.accessValues { store(value, of: type, in: service) }
    }

    /// Sets whether the server supports Enhanced ATT bearers, which clients can read before they
    /// open any.
    package mutating func setSupportsEnhancedBearers(_ isSupported: Bool) {
        core.supportsEnhancedBearers = isSupported
        guard let handle = core.handles[GATT.AttributeType.genericAttribute],
            let service = database.service(at: handle)
        else { return }
        store(core.serverFeatures, of: GATT.AttributeType.serverSupportedFeatures, in: service)
    }

    private mutating func store(
        _ value: [UInt8],
        of type: BluetoothUUID,
        in service: GATT.Service
    ) {
        let attribute = database.attributes(in: service.handles).first { $0.type == type }
        if let attribute { database.store(value, at: attribute.handle) }
    }
}

extension GATTServer {
    /// Publishes the two services that every server has, if they are missing.
    mutating func addCoreServices() {
        for uuid in CoreServices.uuids where !database.services.contains(where: { $0.uuid == uuid })
        {
            // Handles are available unless the database is full. A full database is served without
            // these services.
            _ = try? addCoreService(uuid)
        }
        locateServiceChanged()
    }

    @discardableResult
    private mutating func addCoreService(
        _ uuid: BluetoothUUID
    ) throws(GATT.DefinitionError) -> GATT.Service {
        let service = try database.publish(core.definition(of: uuid)).service
        core.handles[uuid] = service.handle
        return service
    }

    private mutating func makeWayAndPublish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.DiscoveredService {
        var (trial, replaced) = (self, false)
        if CoreServices.uuids.contains(definition.uuid) {
            guard trial.removeCoreService(definition.uuid) else { throw .reserved(definition.uuid) }
            replaced = true
        }
        do {
            let service = try trial.database.publish(definition)
            self = trial
            return service
        } catch {
            guard case .handleNotFree = error, !hasBeenSeen, !core.handles.isEmpty || replaced
            else {
                throw error
            }
            return try publishBeforeCore(definition)
        }
    }

    /// Publishes a service that conflicts with the server's own services, and places those behind
    /// it.
    private mutating func publishBeforeCore(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.DiscoveredService {
        var trial = self
        for uuid in CoreServices.uuids { _ = trial.removeCoreService(uuid) }
        let service = try trial.database.publish(definition)
        trial.addCoreServices()
        self = trial
        return service
    }

    /// Removes one of the server's own services, unless a client may already know it.
    private mutating func removeCoreService(_ uuid: BluetoothUUID) -> Bool {
        guard !hasBeenSeen, let handle = core.handles[uuid],
            (try? database.unpublish(handle)) != nil
        else { return false }
        core.handles[uuid] = nil
        return true
    }

    private mutating func locateServiceChanged() {
        let service = database.services.first { $0.uuid == GATT.AttributeType.genericAttribute }
        serviceChangedHandle = service.flatMap { service in
            database.attributes(in: service.handles).first {
                $0.type == GATT.AttributeType.serviceChanged
            }?.handle
        }
    }
}
