// SPDX-License-Identifier: Apache-2.0

@testable import BluetoothGAP
@testable import BluetoothHCI

/// A report assembler with reference semantics, because expectations cannot call mutating methods.
final class ReportAssemblerBox {
    private var assembler = ReportAssembler()

    func receive(_ report: HCI.AdvertisingReport) -> Advertisement? { assembler.receive(report) }

    func receive(_ report: HCI.DirectedAdvertisingReport) -> Advertisement? {
        assembler.receive(report)
    }

    func receive(_ report: HCI.ExtendedAdvertisingReport) -> Advertisement? {
        assembler.receive(report)
    }

    func reset() { assembler = ReportAssembler() }
}

/// An advertisement filter with reference semantics.
final class AdvertisementFilterBox {
    private var wrapped: AdvertisementFilter

    init(filter: ScanFilter = ScanFilter(), allowsDuplicates: Bool = false) {
        wrapped = AdvertisementFilter(filter: filter, allowsDuplicates: allowsDuplicates)
    }

    func admits(_ advertisement: Advertisement) -> Bool { wrapped.admits(advertisement) }
}

/// A duplicate filter with reference semantics.
final class DuplicateFilterBox {
    private var filter = DuplicateFilter()

    func isNew(_ advertisement: Advertisement) -> Bool { filter.isNew(advertisement) }
}
