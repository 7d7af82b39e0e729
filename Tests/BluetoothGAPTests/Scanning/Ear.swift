// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothGAP
@testable import BluetoothHCI

/// A report assembler that expectations can speak to: they cannot call what mutates a value.
final class Ear {
    private var assembler = ReportAssembler()

    func receive(_ report: HCI.AdvertisingReport) -> Advertisement? { assembler.receive(report) }

    func receive(_ report: HCI.DirectedAdvertisingReport) -> Advertisement? {
        assembler.receive(report)
    }

    func receive(_ report: HCI.ExtendedAdvertisingReport) -> Advertisement? {
        assembler.receive(report)
    }

    func reset() { assembler.reset() }
}

/// A sieve that expectations can speak to.
final class SieveBox {
    private var sieve: AdvertisementSieve

    init(filter: ScanFilter = ScanFilter(), allowsDuplicates: Bool = false) {
        sieve = AdvertisementSieve(filter: filter, allowsDuplicates: allowsDuplicates)
    }

    func admits(_ advertisement: Advertisement) -> Bool { sieve.admits(advertisement) }
}

/// A duplicate filter that expectations can speak to.
final class DuplicateFilterBox {
    private var filter = DuplicateFilter()

    func isNew(_ advertisement: Advertisement) -> Bool { filter.isNew(advertisement) }
}
