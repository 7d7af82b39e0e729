// SPDX-License-Identifier: Apache-2.0

import DBus

/// The objects of the daemon with their properties, according to the daemon's replies and signals
/// (`org.freedesktop.DBus.ObjectManager` and `org.freedesktop.DBus.Properties`).
struct DaemonObjects: Sendable {
    typealias Properties = [String: DBusValue]

    /// The maximum number of objects. BlueZ has fewer in practice: after 30 seconds without
    /// reception, it removes a device that was only discovered (`TemporaryTimeout` in main.conf).
    static let objectLimit = 32_768

    private var objects: [DBusObjectPath: [String: Properties]] = [:]

    /// The paths of all objects.
    var paths: some Collection<DBusObjectPath> { objects.keys }

    /// Returns the properties of an interface; `nil` if the object does not have it.
    func properties(_ path: DBusObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// Returns the sorted paths of the objects below `path` that have `interface`.
    func paths(with interface: String, below path: DBusObjectPath) -> [DBusObjectPath] {
        objects.filter { $0.key.isBelow(path) && $0.value[interface] != nil }.keys.sorted()
    }

    /// Replaces all objects by those in a reply to GetManagedObjects (`a{oa{sa{sv}}}`).
    ///
    /// - Returns: Whether the reply has the expected form.
    mutating func replace(with reply: DBusValue?) -> Bool {
        guard let entries = reply?.entries else { return false }
        objects = [:]
        for entry in entries { _ = add(entry.key.objectPath, entry.value) }
        return true
    }

    /// Adds interfaces to an object (`a{sa{sv}}`). Returns the names of the interfaces.
    mutating func add(_ path: DBusObjectPath?, _ interfaces: DBusValue?) -> [String] {
        guard let path, let entries = interfaces?.entries,
            objects[path] != nil || objects.count < Self.objectLimit
        else { return [] }
        var names: [String] = []
        for entry in entries {
            guard let name = entry.key.string, let properties = entry.value.properties else {
                continue
            }
            objects[path, default: [:]][name] = properties
            names.append(name)
        }
        return names
    }

    /// Removes interfaces from an object. Returns the names of the removed interfaces.
    mutating func remove(_ path: DBusObjectPath?, _ interfaces: DBusValue?) -> [String] {
        guard let path, objects[path] != nil else { return [] }
        let names = (interfaces?.elements ?? []).compactMap(\.string)
        let removed = names.filter { objects[path]?.removeValue(forKey: $0) != nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return removed
    }

    /// Changes properties of an interface. Returns the names of the changed and removed properties.
    mutating func change(
        _ path: DBusObjectPath,
        _ interface: String,
        _ changed: DBusValue?,
        invalidated: DBusValue?
    ) -> Set<String> {
        guard objects[path]?[interface] != nil else { return [] }
        let values = changed?.properties ?? [:]
        let removed = (invalidated?.elements ?? []).compactMap(\.string)
        for (name, value) in values { objects[path]?[interface]?[name] = value }
        for name in removed { objects[path]?[interface]?[name] = nil }
        return Set(values.keys).union(removed)
    }
}
