"""English: the United Kingdom, Ireland, North America, Australia, India."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["ENGLISH"]

ENGLISH = LocalePack(
    language="en",
    regions=("US", "GB", "IE", "AU", "IN", "ZA", "NZ"),
    function_words="the and of to that with for was are this have from not you your will been which they would about",
    months=(
        "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
        "september sept sep", "october oct", "november nov", "december dec",
    ),
    between="of the",
    greetings="hi hello hey dear greetings good_morning good_afternoon good_evening morning welcome hiya",
    closings="best kind_regards best_regards warm_regards kindest_regards warmest_regards many_thanks regards "
    "best_wishes warm_wishes with_best_wishes with_kind_regards with_best_regards sincerely sincerely_yours "
    "yours_sincerely yours_faithfully yours_truly yours_ever yours cheers thanks thanks_again thanks_a_lot "
    "thanks_so_much thank_you love cordially respectfully talk_soon take_care br rgds xoxo signed",
    titles="mr mrs ms miss mx dr prof professor sgt capt judge rev sir lady lord nurse sister father pastor rabbi "
    "imam officer detective inspector coach uncle aunt auntie senator",
    listed="attendees participants present attending absent apologies invited invitees guests members names team cc "
    "organisers organizers speakers authors reviewers contacts passengers patients witnesses recipients players "
    "assigned_to assignees owners on_call",
    introduced="my_name_is name_is i_am i'm named contact attn c/o signed_by written_by reported_by prepared_by "
    "approved_by on_behalf_of care_of",
    id_words="employee customer client account acct passport invoice order case ticket member membership patient tax "
    "personnel social_security ssn sin tfn nhs nino licence license policy registration staff student reference "
    "ref tracking insurance user mrn medical_record record driver's_licence driver's_license driving_licence "
    "drivers_license badge booking confirmation claim visa permit national_insurance ni national_id identity_card "
    "id_card citizen medicare beneficiary plate licence_plate license_plate number_plate vin imei serial device "
    "matriculation enrolment sort_code routing bank_account utr itin ein vat green_card prescription "
    "hospital parcel consignment upn dl frequent_flyer badge_no booking_reference pnr loyalty bib pupil",
    phone_words="phone tel call cell mobile fax reach dial number_is text whatsapp telephone ring landline sms signal",
)  # fmt: skip
