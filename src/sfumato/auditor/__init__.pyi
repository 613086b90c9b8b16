from sfumato.auditor.auditor import audit as audit
from sfumato.auditor.case import AuditCase as AuditCase
from sfumato.auditor.result import AuditResult as AuditResult
