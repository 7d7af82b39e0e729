// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

extension CBMutableService {
    /// Marks the service and its characteristics as published or as not published. A characteristic
    /// that is published without a value stays dynamic, even if its `value` is set later.
    func setPublished(_ isPublished: Bool) {
        snapshot.change { $0.isPublished = isPublished }
        for characteristic in characteristics ?? [] {
            (characteristic as? CBMutableCharacteristic)?.setPublished(isPublished)
        }
    }

    /// Whether the service was added, was not removed, and Bluetooth has been on since. Apps often
    /// build their services again at each `poweredOn`, which is not logged as misuse.
    var isPublished: Bool { snapshot.read(\.isPublished) }

    /// Logs that a change does not take effect until the service is added again.
    func noteChange() {
        guard isPublished else { return }
        Misuse.report("\(logName) is published: add it again to publish the change")
    }
}

extension CBMutableCharacteristic {
    /// Marks the characteristic as published or as not published.
    func setPublished(_ isPublished: Bool) {
        snapshot.change { $0.isPublished = isPublished }
        guard isPublished, value == nil else { return }
        publication.change { $0.isDynamic = true }
    }

    /// Whether the service was added, was not removed, and Bluetooth has been on since.
    var isPublished: Bool { snapshot.read(\.isPublished) }

    /// The value with which the system answers reads; `nil` for a dynamic characteristic, because
    /// the system does not use its `value`.
    var cachedValue: Data? { isDynamic ? nil : value }

    /// Whether the characteristic was published without a value.
    var isDynamic: Bool { publication.read(\.isDynamic) }

    /// Logs that a change does not take effect until the service is added again.
    func noteChange() {
        guard isPublished else { return }
        Misuse.report("\(logName) is published: add its service again to publish the change")
    }
}
