// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// The connection to the daemon, and its objects.
extension BlueZAdapter {
    func receive(_ event: DBusConnection.Event) {
        switch event {
        case .opened: connected()
        case .closed: daemonChanged(to: nil)
        case .received(let message, _): receive(message)
        }
    }

    private func connected() {
        for rule in BlueZ.rules + [BlueZ.ownerRule] {
            send(.toBus("AddMatch", [.string(rule.description)]))
        }
        // The objects are read after the match rules are set, so that no change is missed.
        call(.toBus("GetNameOwner", [.string(BlueZ.service)])) { adapter, result in
            let owner = try? result.get().values.first?.string
            adapter.daemonChanged(to: owner)
        }
    }

    private func receive(_ message: DBusMessage) {
        switch message.kind {
        case .signal(_, _, "NameOwnerChanged") where message.sender == DBusMessage.busName:
            guard message.body.count == 3, message.body[0].string == BlueZ.service,
                let owner = message.body[2].string
            else { return }
            daemonChanged(to: owner.isEmpty ? nil : owner)
        // Any program on the bus can send signals and calls to this program. Signals of programs
        // other than the daemon are ignored, and `receiveCall` refuses their calls.
        case .signal(let path, let interface, let member)
        where daemon != nil && message.sender == daemon:
            receive(path, interface, member, message.body)
        case .call(let path, let interface, let member):
            receiveCall(message, path, interface, member)
        default: break
        }
    }

    /// Handles the start or the end of the daemon's process.
    private func daemonChanged(to owner: String?) {
        guard owner != daemon || owner == nil else { return }
        daemon = owner
        loadTimer?.set(to: nil)
        withdrawQuestion()
        objects = DaemonObjects()
        discovery = DaemonDiscovery()
        guard owner != nil else { return updateAdapter() }
        closeLinks()
        loadDaemon()
    }

    /// Reads the objects of a daemon that was started, and reads them again later if that fails.
    private func loadDaemon() {
        loadObjects { adapter, isLoaded in
            adapter.updateAdapter()
            guard !isLoaded else { return }
            let timer = adapter.thread.makeTimer { [weak adapter] in
                adapter?.onThread { if $0.daemon != nil { $0.loadDaemon() } }
            }
            timer.set(to: adapter.thread.now + Self.loadInterval)
            adapter.loadTimer = timer
        }
    }

    /// The time after which the objects of the daemon are read again.
    private static let loadInterval = Duration.seconds(1)

    /// Reads all objects of the daemon. `done` receives whether that succeeded. It is not called if
    /// the daemon has ended.
    func loadObjects(then done: @escaping @Sendable (isolated BlueZAdapter, Bool) -> Void) {
        let asked = daemon
        let message = BlueZ.call(.root, BlueZ.Interface.objectManager, "GetManagedObjects")
        call(message) { adapter, result in
            guard adapter.daemon == asked else { return }
            guard let reply = try? result.get(),
                adapter.objects.replace(with: reply.values.first)
            else { return done(adapter, false) }
            adapter.updateAdapter()
            adapter.report(.bondsChanged)
            adapter.checkLinks()
            done(adapter, true)
        }
    }

    /// Reads the properties of a device, in case the daemon has not reported a change.
    func loadDevice(
        _ path: DBusObjectPath,
        then done: @escaping @Sendable (isolated BlueZAdapter) -> Void
    ) {
        let asked = daemon
        let arguments: [DBusValue] = [.string(BlueZ.Interface.device)]
        call(BlueZ.call(path, BlueZ.Interface.properties, "GetAll", arguments)) { adapter, result in
            if adapter.daemon == asked, let properties = try? result.get().values.first {
                _ = adapter.objects.change(
                    path,
                    BlueZ.Interface.device,
                    properties,
                    invalidated: nil
                )
            }
            done(adapter)
        }
    }

    // MARK: Signals

    private func receive(
        _ path: DBusObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [DBusValue]
    ) {
        switch (interface, member) {
        case (BlueZ.Interface.objectManager, "InterfacesAdded"):
            added(body.first?.objectPath, body.last)
        case (BlueZ.Interface.objectManager, "InterfacesRemoved"):
            removed(body.first?.objectPath, body.last)
        case (BlueZ.Interface.properties, "PropertiesChanged"):
            guard body.count == 3, let name = body[0].string else { return }
            let address = device(at: path)?.address
            let names = objects.change(path, name, body[1], invalidated: body[2])
            if let address, names.contains("Address") { addressChanged(from: address, at: path) }
            changed(path, name, names)
        case (BlueZ.Interface.device, "Disconnected"):
            guard let link = link(at: path) else { return }
            links[link]?.reason = DaemonError.reason(body.first?.string)
        default: break
        }
    }

    private func added(_ path: DBusObjectPath?, _ interfaces: DBusValue?) {
        guard let path else { return }
        for interface in objects.add(path, interfaces) {
            switch interface {
            case BlueZ.Interface.adapter: updateAdapter()
            case BlueZ.Interface.device:
                deviceReceived(path)
                if device(at: path)?.isBonded == true { report(.bondsChanged) }
            case BlueZ.Interface.gattService, BlueZ.Interface.gattCharacteristic,
                BlueZ.Interface.gattDescriptor:
                attributesChanged(at: path)
            default: break
            }
        }
    }

    private func removed(_ path: DBusObjectPath?, _ interfaces: DBusValue?) {
        guard let path else { return }
        let wasBonded = device(at: path)?.isBonded == true
        for interface in objects.remove(path, interfaces) {
            switch interface {
            case BlueZ.Interface.adapter: updateAdapter()
            case BlueZ.Interface.device:
                deviceDisconnected(path)
                if wasBonded { report(.bondsChanged) }
            case BlueZ.Interface.gattService, BlueZ.Interface.gattCharacteristic,
                BlueZ.Interface.gattDescriptor:
                attributesChanged(at: path)
            default: break
            }
        }
    }

    private func changed(_ path: DBusObjectPath, _ interface: String, _ names: Set<String>) {
        switch interface {
        case BlueZ.Interface.adapter:
            if names.contains("Powered") { updateAdapter() }
            if path == adapterPath, names.contains("Discovering") { discoveringChanged() }
        case BlueZ.Interface.device: deviceChanged(path, names)
        case BlueZ.Interface.gattCharacteristic:
            if names.contains("Value") { valueChanged(at: path) }
            if names.contains("Notifying") { notifyingChanged(at: path) }
        default: break
        }
    }

    private func deviceChanged(_ path: DBusObjectPath, _ names: Set<String>) {
        let advertised: Set = [
            "RSSI", "ManufacturerData", "ServiceData", "TxPower", "UUIDs", "Name",
        ]
        if !names.isDisjoint(with: advertised) { deviceReceived(path) }
        if names.contains("Connected"), device(at: path)?.isConnected == false {
            deviceDisconnected(path)
        }
        if names.contains("ServicesResolved") { servicesResolved(path) }
        guard !names.isDisjoint(with: ["Bonded", "Paired"]) else { return }
        hideDigits(of: path)
        report(.bondsChanged)
        pairedChanged(at: path)
    }

    /// Returns the device at a path.
    func device(at path: DBusObjectPath) -> DaemonDevice? {
        objects.properties(path, BlueZ.Interface.device).map(DaemonDevice.init)
    }

    /// Returns the path of the device with an address, at the adapter in use.
    func path(of address: DeviceAddress) -> DBusObjectPath? {
        guard let adapterPath else { return nil }
        // The usual path is tried first, because it needs no search.
        let name = "dev_" + address.description.split(separator: ":").joined(separator: "_")
        if let path = DBusObjectPath("\(adapterPath)/\(name)"), device(at: path)?.address == address
        {
            return path
        }
        return objects.paths(with: BlueZ.Interface.device, below: adapterPath)
            .first { device(at: $0)?.address == address }
    }

    // MARK: The adapter

    /// Chooses the adapter among those of the daemon, and updates the state.
    func updateAdapter() {
        let path = chosenAdapter
        let properties = path.flatMap { objects.properties($0, BlueZ.Interface.adapter) }
        let isPowered = properties?["Powered"]?.boolean ?? false
        if path != adapterPath || !isPowered {
            closeLinks()
            discovery = DaemonDiscovery()
        }
        // On another adapter, everything starts again.
        if path != adapterPath, state == .ready { become(.unavailable) }
        adapterPath = path
        guard isPowered else { return become(.unavailable) }
        guard Self.isCentral(properties) else { return become(.unsuitable) }
        guard state != .ready else { return }
        hasChannels = ChannelSocket.isAvailable
        registerAgent()
        let known = advertisements
        become(.ready)
        updateDiscovery()
        retryConnecting()
        registerServices()
        registerAgain(known)
    }

    /// The adapter with the given name. Without a name, it is the adapter in use, or the first one.
    private var chosenAdapter: DBusObjectPath? {
        let adapters = objects.paths(with: BlueZ.Interface.adapter, below: .root)
        if let adapterName { return adapters.first { $0.lastElement == adapterName } }
        return adapters.first { $0 == adapterPath && state == .ready } ?? adapters.first
    }

    private static func isCentral(_ properties: DaemonObjects.Properties?) -> Bool {
        guard let roles = properties?["Roles"]?.elements else { return true }
        return roles.contains(.string("central")) || roles.isEmpty
    }
}
